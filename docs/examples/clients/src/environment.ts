/** The value of an environment variable, which must be set. */
export function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set.`);
  return value;
}

const tokens = ["expired", variable("LIVERY_TOKEN")];

/** Issues a token, as the login of an application does. The first one has expired, so that the example renews it. */
export async function issueToken(): Promise<string> {
  const token = tokens.shift();
  if (token === undefined) throw new Error("A token that is valid was refused.");
  console.log(token === "expired" ? "A token is issued." : "A token is issued once more.");
  return token;
}

/** Fetches a file from an edge as soon as it is there: a publish reaches the edges within moments. */
export async function served(url: string): Promise<string> {
  for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((next) => setTimeout(next, 50))) {
    const response = await fetch(url);
    if (response.ok) return response.text();
  }
  throw new Error(`No edge serves ${url}.`);
}
