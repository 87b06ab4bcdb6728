// The sheet of the samples: what a Theme has no token for looks as the browser has it.
export const frameStyle = `
*{box-sizing:border-box;margin:0;font:inherit;color:inherit}
body{padding:1rem;background:var(--look-canvas,Canvas);color:var(--look-text,CanvasText);font:var(--look-body,16px/1.5 var(--look-family,system-ui));overflow-wrap:anywhere}
main,section{display:grid;gap:1rem}
h2{font-weight:600;font-size:.875em}
h3{font:var(--look-title,600 1.5rem/1.2 system-ui)}
.muted{color:var(--look-muted,inherit)}
.row{display:flex;flex-wrap:wrap;gap:.75rem}
button,input[type=text]{padding:.5em 1em;border:1px solid var(--look-line,currentColor);border-radius:var(--look-control,var(--look-radius,.4rem));background:var(--look-raised,Canvas)}
input[type=text]{display:block;inline-size:100%;background:var(--look-canvas,Canvas)}
.primary{background:var(--look-accent,AccentColor);border-color:transparent;color:var(--look-on-accent,AccentColorText)}
.card{padding:var(--look-space,1.25rem);border-radius:var(--look-radius,.5rem);border:var(--look-border,1px solid var(--look-line,currentColor));background:var(--look-raised,Canvas);box-shadow:var(--look-shadow,none);display:grid;gap:.75rem;max-inline-size:34rem}
.band{block-size:2.5rem;border-radius:var(--look-radius,.5rem);background:var(--look-gradient,var(--look-accent,AccentColor))}
a{color:var(--look-accent,LinkText)}
input{accent-color:var(--look-accent,AccentColor)}
.wrong{color:var(--look-danger,inherit)}button.wrong,input.wrong{border-color:currentColor}.well{color:var(--look-success,inherit)}
table{border-collapse:collapse}
th,td{text-align:start;padding:.4rem .6rem;border-block-end:1px solid var(--look-line,currentColor)}
th{font-weight:600}
.grid{display:grid;gap:.75rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,8.5rem),1fr))}
.lines{display:grid;gap:.75rem}
figure{display:grid;gap:.25rem;align-content:start;min-inline-size:0;content-visibility:auto;contain-intrinsic-size:auto 5rem}
figcaption,code{font:.75rem/1.4 system-ui}
code{font-family:monospace}
.differs{outline:2px dashed currentColor;outline-offset:3px}
.box{block-size:3rem;border-radius:.375rem;border:1px solid #8888}
.clear{background:repeating-conic-gradient(#8884 0 25%,#0000 0 50%) 0 0/.75rem .75rem padding-box}.clear>div{block-size:100%;border-radius:inherit}
.raised{border:0;background:var(--look-raised,Canvas);margin:.5rem}
.bar{block-size:.75rem;max-inline-size:100%;background:var(--look-accent,AccentColor)}
.specimen{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
`;
