package page

type hub struct{}
