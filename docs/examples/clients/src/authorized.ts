// The middleware that a generated client of Livery needs, whatever generated it.

/** Thrown if a new token is refused as well. */
export class Unauthorized extends Error {
  constructor(readonly response: Response) {
    super(`The origin refuses the token of this client (request ${response.headers.get("X-Request-Id")}).`);
    this.name = "Unauthorized";
  }
}

/**
 * Returns a fetch that sends a token. If the origin answers 401, it has a new token issued and sends the request once
 * more. That is safe: the origin judges the token before anything else, and a request that it answers with 401 has
 * changed nothing. Requests that are refused at the same time wait for the same new token.
 */
export function authorized(issue: () => Promise<string>): typeof fetch {
  let token: Promise<string> | undefined;
  const renew = () => {
    const issued = issue();
    issued.catch(() => { if (token === issued) token = undefined; }); // the next request tries again
    return (token = issued);
  };
  return async (input, init) => {
    const request = new Request(input, init);
    const send = async (used: Promise<string>) => {
      const attempt = request.clone(); // a body can be sent once
      attempt.headers.set("Authorization", `Bearer ${await used}`);
      return fetch(attempt);
    };
    const used = token ?? renew();
    let response = await send(used);
    if (response.status !== 401) return response;
    if (token === used) token = undefined; // unless another request has renewed it
    response = await send(token ?? renew());
    if (response.status === 401) throw new Unauthorized(response);
    return response;
  };
}
