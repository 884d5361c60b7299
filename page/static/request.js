// request fetches an address. While the server responds 503 with Retry-After, it tries again, as
// long as wanted() is true.
export async function request(address, wanted) {
  for (;;) {
    const answer = await fetch(address),
      later = Number(answer.headers.get("Retry-After"));
    if (answer.status !== 503 || !later) return answer;
    await new Promise(then => setTimeout(then, 1000 * later));
    if (!wanted()) return answer;
  }
}
