// The public API, typed by its OpenAPI document. Every request is kept for the view that shows it as curl.
import { signal } from "@preact/signals-core";
import type { components } from "./schema";

export type Schemas = components["schemas"];
export type Environment = Schemas["Environment"];
export type Theme = Schemas["Theme"];
export type Variant = Schemas["Variant"];

export const root = "/public/v1";

/** A refusal of the API, or a request that had no answer (status 0). */
export class ApiError extends Error {
	constructor(
		readonly status: number,
		message: string,
		readonly reason = "",
	) {
		super(message);
	}
}

/** A request that was made: what the API console shows. */
export interface Call {
	id: number;
	at: Date;
	method: string;
	path: string;
	headers: Record<string, string>;
	body?: string;
	status: number; // 0 while it is under way
	milliseconds: number;
	answer?: string; // the first 64 KiB
	requestID?: string;
	response?: Response; // of a change, until its answer is read
}

/** The latest calls, newest first. */
export const calls = signal<readonly Call[]>([]);
const callsKept = 200;
let lastCall = 0;

export type Query = Record<string, string | number | boolean | readonly string[] | null | undefined>;

export interface Options {
	query?: Query;
	body?: unknown;
	headers?: Record<string, string>;
	signal?: AbortSignal;
	/** Do not list it among the calls, as what runs by itself. */
	quiet?: boolean;
}

export interface Answer<T> {
	data: T;
	etag: string | null;
	headers: Headers;
}

/** What is called when a request is answered 401: the session is over. */
export let onUnauthorized: () => void = () => {};
export function setUnauthorized(f: () => void): void {
	onUnauthorized = f;
}

export function address(path: string, query?: Query): string {
	const params = new URLSearchParams();
	for (const [name, value] of Object.entries(query ?? {})) {
		if (value === null || value === undefined || value === "") continue;
		for (const one of Array.isArray(value) ? value : [value]) params.append(name, String(one));
	}
	const text = params.toString();
	return text ? `${path}?${text}` : path;
}

function record(call: Call, quiet: boolean): void {
	if (!quiet) calls.value = [call, ...calls.value.filter((c) => c.id !== call.id)].slice(0, callsKept);
}

/** The answer itself, for streams and files. An answer that is not 2xx is thrown as an ApiError. */
export async function send(method: string, path: string, options: Options = {}): Promise<Response> {
	const where = address(path, options.query);
	const headers: Record<string, string> = { Accept: "application/json", ...options.headers };
	const body = options.body === undefined ? undefined : JSON.stringify(options.body);
	if (body !== undefined) headers["Content-Type"] = "application/json";
	const call: Call = { id: ++lastCall, at: new Date(), method, path: where, headers, body, status: 0, milliseconds: 0 };
	const quiet = options.quiet ?? false;
	record(call, quiet);
	const begin = performance.now();
	const done = (more: Partial<Call>): void => record({ ...call, ...more, milliseconds: performance.now() - begin }, quiet);
	let response: Response;
	try {
		response = await fetch(where, {
			method,
			headers: { ...headers, "X-Livery-Console": "1" },
			body,
			credentials: "same-origin",
			signal: options.signal,
		});
	} catch (err) {
		done({});
		if (options.signal?.aborted) throw err;
		throw new ApiError(0, "The origin does not answer. Look whether it runs and this machine reaches it.");
	}
	const requestID = response.headers.get("X-Request-Id") ?? "";
	const { status } = response;
	if (response.ok) {
		done({ status, requestID, response: method === "GET" ? undefined : response });
		return response;
	}
	const text = await response.text();
	done({ status, requestID, answer: text.slice(0, 65536) });
	if (status === 401 && path !== "/console/session") onUnauthorized(); // a refused login ends no session
	throw refusal(response, text);
}

/** The beginning of a text, without what it was cut from. */
const copied = (text: string): string => JSON.parse(JSON.stringify(text.slice(0, 65536))) as string;

function refusal(response: Response, text: string): ApiError {
	const reason = response.headers.get("Livery-Reason") ?? "";
	let error: { messages?: string[] } = {};
	try {
		error = JSON.parse(text) as typeof error;
	} catch {
		// 401 has no body, and a proxy's page is not JSON
	}
	const message = (error.messages ?? []).join("\n") || (reason === "slugTaken" ? `${response.headers.get("Livery-Variant") ?? "Choose another slug"}: this slug is taken.` : advice(response.status));
	return new ApiError(response.status, message, reason);
}

function advice(status: number): string {
	switch (status) {
		case 401: return "You are not logged in any more. Log in again; what you have typed is still here.";
		case 402: return "The plan of this Team does not allow more of these.";
		case 403: return "Your role does not allow this. An admin of the Environment can give you another one.";
		case 404: return "This does not exist, or you may not see it.";
		case 409:
		case 412: return "Another client changed this meanwhile.";
		case 413: return "This is too large for one request.";
		case 429: return "Too many requests at once. Wait a moment and try again.";
		default: return `The origin answered ${status}. Try again in a moment.`;
	}
}

/** A request with an answer in JSON. */
export async function call<T>(method: string, path: string, options: Options = {}): Promise<Answer<T>> {
	const response = await send(method, path, options);
	const text = await response.text();
	if (method !== "GET") calls.value = calls.value.map((c) => (c.response === response ? { ...c, response: undefined, answer: copied(text) } : c));
	return { data: (text ? JSON.parse(text) : undefined) as T, etag: response.headers.get("ETag"), headers: response.headers };
}

export async function get<T>(path: string, query?: Query, options: Options = {}): Promise<T> {
	return (await call<T>("GET", path, { ...options, query })).data;
}

/** A page of a list. */
export interface Page<T> {
	items: T[];
	next?: string; // the cursor of the page after it; none on the last page
	totalCount?: number;
}

export const environmentPath = (environment: string): string => `${root}/environments/${encodeURIComponent(environment)}`;
export const themePath = (environment: string, theme: string): string => `${environmentPath(environment)}/themes/${encodeURIComponent(theme)}`;
/** Of the Variant, or of the Theme itself if there is none. */
export const variantPath = (environment: string, theme: string, variant = ""): string => themePath(environment, theme) + (variant && `/variants/${encodeURIComponent(variant)}`);

/** The call as a command of curl, with the token left to the environment. */
export function curl(call: Pick<Call, "method" | "path" | "headers" | "body">): string {
	const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
	const lines = [`curl ${call.method === "GET" ? "" : `-X ${call.method} `}${quote(location.origin + call.path)}`];
	lines.push(`-H "Authorization: Bearer $LIVERY_TOKEN"`);
	for (const [name, value] of Object.entries(call.headers)) if (name !== "Accept" || value !== "application/json") lines.push(`-H ${quote(`${name}: ${value}`)}`);
	if (call.body !== undefined) lines.push(`--data ${quote(call.body)}`);
	return lines.join(" \\\n  ");
}
