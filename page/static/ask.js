// ask is fetch for what there may be too many of at once: as long as the server says that one is to come back later, and the answer is wanted, it does.
export async function ask(address, wanted) {
  for (;;) {
    const answer = await fetch(address), later = Number(answer.headers.get("Retry-After"));
    if (answer.status !== 503 || !later) return answer;
    await new Promise(then => setTimeout(then, 1000 * later));
    if (!wanted()) return answer;
  }
}
