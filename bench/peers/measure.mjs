// What both peers' processes do around their build.
import fs from 'node:fs';

// Builds the document that the command line names and prints, as JSON, how long that took after
// the modules were loaded, how many custom properties came out, or why it was refused.
export async function measure(build) {
  const text = fs.readFileSync(process.argv[2], 'utf8');
  console.warn = console.error = () => {};
  const began = performance.now();
  try {
    const css = await build(text);
    const workMs = performance.now() - began;
    print({ workMs, properties: css.match(/^\s*--[^:\s]+:/gm)?.length ?? 0 });
  } catch (error) {
    print({ refused: String(error.message).trim().split('\n')[0] });
  }
}

const print = (said) => process.stdout.write(JSON.stringify(said));
