import type { components } from "./generated/livery.js";

/** What a generated client returns for a request: data, or the error, and the answer if there was one. */
interface Result<Data> {
  data?: Data;
  error?: unknown; // 401 has no body, so @hey-api types every error as unknown
  response?: Response;
}

/** What the origin refused. Branch on cause and, for 409 and 412, on reason; the message is for people. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly cause: string,
    readonly reason: string | null,
    message: string,
  ) {
    super(message);
    this.name = "Refused";
  }
}

/** Returns the data of an accepted request, and throws what went wrong with any other. */
export function accepted<Data>({ data, error, response }: Result<Data>): Data {
  if (error instanceof Error) throw error; // @hey-api returns what its fetch threw
  if (response?.ok && data !== undefined) return data;
  const { cause = "unknown", messages = [] } = (error ?? {}) as Partial<components["schemas"]["Error"]>;
  const request = response?.headers.get("X-Request-Id");
  const message = `${response?.status} ${cause} ${messages.join("; ")} (request ${request})`;
  throw new Refused(response?.status ?? 0, cause, response?.headers.get("Livery-Reason") ?? null, message);
}

/** Returns the reason of a conflict (409 or 412), one of a closed list, and throws any other error. */
export function conflict(error: unknown): components["headers"]["Reason"] {
  if (error instanceof Refused && error.reason !== null) return error.reason as components["headers"]["Reason"];
  throw error;
}
