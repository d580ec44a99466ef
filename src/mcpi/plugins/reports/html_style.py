"""Style sheet of the HTML report, for light and dark mode."""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2330; --dim: #667085; --paper: #f6f7f9; --card: #fff; --line: #d9dee7;
  --good: #14804a; --bad: #c0303b; --warn: #a15c07; --sent: #2f6fde; --received: #7a4fd0; --code: #f0f2f6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --dim: #98a2b3; --paper: #12151b; --card: #1a1f28;
  --line: #303846; --good: #4cc38a; --bad: #f2737d; --warn: #e3a84a; --sent: #7fb0ff; --received: #b698ff;
  --code: #10141a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 62rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0 0 .6rem; overflow-wrap: anywhere; }
h3 { font-size: .8rem; letter-spacing: .04em; margin: 0; }
header { border-left: .4rem solid var(--good); padding: .2rem 0 .2rem 1rem; margin-bottom: 1.6rem; }
header.failed { border-color: var(--bad); }
.chips { margin: 0 0 .8rem; }
.chip { display: inline-block; border: 1px solid var(--line); border-radius: 1rem; padding: .05rem .7rem;
  margin: 0 .4rem .3rem 0; font-size: .85rem; color: var(--dim); }
.chip.passed { color: var(--good); border-color: currentColor; }
.chip.allowed { color: var(--warn); border-color: currentColor; }
.chip.failed { color: var(--bad); border-color: currentColor; font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0; font-size: .88rem; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
.step { background: var(--card); border: 1px solid var(--line); border-left: .3rem solid var(--good);
  border-radius: .4rem; margin: 0 0 .6rem; padding: 0 1rem; }
.step.failed { border-left-color: var(--bad); } .step.allowed { border-left-color: var(--warn); }
.step.skipped { border-left-color: var(--line); color: var(--dim); }
.step > summary, .row { display: flex; gap: .8rem; align-items: baseline; padding: .6rem 0; cursor: pointer; }
.row { cursor: default; }
.verdict { font-size: .75rem; font-weight: 600; text-transform: uppercase; width: 4.4rem; flex: none;
  color: var(--good); }
.failed .verdict { color: var(--bad); } .allowed .verdict { color: var(--warn); }
.skipped .verdict { color: var(--dim); }
.title { flex: 1; overflow-wrap: anywhere; } .time, .took, .own { color: var(--dim); font-size: .8rem; }
summary { cursor: pointer; } .step details { margin: .3rem 0 .6rem; }
pre, code { font: 12.5px/1.45 ui-monospace, monospace; white-space: pre-wrap; }
pre { background: var(--code); border-radius: .3rem; padding: .6rem .8rem; margin: .4rem 0; overflow: auto;
  max-height: 28rem; overflow-wrap: anywhere; }
.error { border: 1px solid var(--bad); border-radius: .3rem; padding: .6rem .8rem; margin: .2rem 0 .8rem; }
.error h3 { color: var(--bad); } .error p { margin: .2rem 0; } .error ul { margin: .3rem 0; padding-left: 1.2rem; }
.allowed .error { border-color: var(--warn); } .allowed .error h3 { color: var(--warn); }
.findings { border-collapse: collapse; width: 100%; font-size: .85rem; margin: .2rem 0 .8rem; }
.findings td { border-top: 1px solid var(--line); padding: .3rem .6rem .3rem 0; vertical-align: top;
  overflow-wrap: anywhere; }
.findings small { display: block; color: var(--dim); } .findings .error td:first-child { color: var(--bad); }
.findings .warning td:first-child { color: var(--warn); }
.sequence { margin: .6rem 0 1rem; }
.lanes { display: flex; justify-content: space-between; margin-left: 6.6rem; font-size: .8rem; font-weight: 600; }
.sequence ol { list-style: none; margin: .2rem 0 0; padding: 0; }
.sequence li { display: grid; grid-template-columns: 6rem minmax(0, 1fr); gap: 0 .6rem; align-items: start; }
.sequence time { color: var(--dim); font: 11.5px/2.1 ui-monospace, monospace; }
.sequence li > details, .sequence .line { border: solid var(--line); border-width: 0 1px; margin: 0;
  padding: 0 0 .25rem; }
.sequence summary { list-style: none; } .sequence summary::-webkit-details-marker { display: none; }
.arrow { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem;
  border-bottom: 2px solid var(--sent); color: var(--sent); padding: .15rem .9rem; position: relative;
  font-size: .85rem; overflow-wrap: anywhere; }
.received .arrow { border-color: var(--received); color: var(--received); flex-direction: row-reverse; }
.arrow::after { content: ""; position: absolute; bottom: -5.5px; right: 0; border: 5px solid transparent;
  border-left: 8px solid var(--sent); border-right: 0; }
.received .arrow::after { right: auto; left: 0; border: 5px solid transparent; border-left: 0;
  border-right: 8px solid var(--received); }
.sequence .line { color: var(--dim); font: 12px/1.6 ui-monospace, monospace; padding: .1rem .9rem; min-width: 0;
  white-space: pre; overflow-x: auto; tab-size: 8; }
pre.stderr { white-space: pre; overflow-wrap: normal; tab-size: 8; }
@media (max-width: 34rem) { body { padding: 1rem .6rem 3rem; } .sequence li { grid-template-columns: minmax(0, 1fr); }
  .sequence time { line-height: 1.3; } .lanes { margin-left: 0; } .violation { grid-column: 1; }
  .step { padding: 0 .6rem; } .verdict { width: auto; }
  .sequence .note time { display: none; } }
.violation { grid-column: 2; margin: .1rem 0 .3rem; color: var(--warn); font-size: .82rem; }
"""
