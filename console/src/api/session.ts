// Who is logged in. The token itself is in a sealed cookie that no script reads.
import { signal } from "@preact/signals-core";
import { ApiError, call, get, root, setUnauthorized, type Schemas } from "./client";

export type Caller = Schemas["Caller"];

export interface Issuer {
	name: string;
	issuer: string;
	clientID: string;
	scopes: string[];
	parameters: Record<string, string>;
	authorizationEndpoint?: string;
}

export interface Settings {
	version: string;
	issuers: Issuer[];
	edges: string[];
}

/** The caller: undefined until it is known, null without a session. */
export const caller = signal<Caller | null | undefined>(undefined);
export const settings = signal<Settings>({ version: "", issuers: [], edges: [] });
/** What went wrong at the login that came by an address. */
export const loginError = signal("");
/** The code of a link for someone else than the person who is logged in; empty: there is none. */
export const linkOfOther = signal("");

setUnauthorized(() => {
	if (caller.value) caller.value = null;
});

async function who(): Promise<void> {
	caller.value = await get<Caller>(`${root}/me`, undefined, { quiet: true });
}

/** Opens a session with a token, a one-time code or the code of an issuer. */
export async function logIn(body: Record<string, string | boolean>): Promise<void> {
	await call("POST", "/console/session", { body, quiet: true });
	await who();
}

export async function logOut(): Promise<void> {
	await call("DELETE", "/console/session", { quiet: true }).catch(() => undefined);
	caller.value = null;
}

const pending = "livery.login"; // the state of a login at an issuer, in this tab alone; never a token

const random = (): string => crypto.randomUUID() + crypto.randomUUID();

/** In base64url, without padding. */
function encoded(bytes: Uint8Array): string {
	return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
}

const redirectURI = (): string => `${location.origin}/console/`;

/** Goes to an issuer to log in there (authorization code with PKCE, RFC 7636). */
export async function goToIssuer(issuer: Issuer): Promise<void> {
	const verifier = random();
	const state = random();
	const challenge = encoded(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
	sessionStorage.setItem(pending, JSON.stringify({ state, verifier, issuer: issuer.issuer, back: location.pathname }));
	const to = new URL(issuer.authorizationEndpoint ?? "");
	const parameters = {
		...issuer.parameters,
		response_type: "code",
		client_id: issuer.clientID,
		redirect_uri: redirectURI(),
		scope: issuer.scopes.join(" "),
		state,
		code_challenge: challenge,
		code_challenge_method: "S256",
	};
	for (const [name, value] of Object.entries(parameters)) to.searchParams.set(name, value);
	location.assign(to);
}

/** The login that the address carries, taken out of the address at once: #login=<code>, or ?code=…&state=… of an issuer. */
async function loginOfAddress(): Promise<void> {
	const code = new URLSearchParams(location.hash.slice(1)).get("login");
	const query = new URLSearchParams(location.search);
	const kept = sessionStorage.getItem(pending);
	sessionStorage.removeItem(pending);
	if (code) {
		history.replaceState(null, "", location.pathname);
		return logIn({ code }).catch((err: ApiError) => {
			if (err.status !== 409) throw err;
			linkOfOther.value = code;
		});
	}
	if (!query.has("state") || !(query.has("code") || query.has("error"))) return;
	const login = kept ? (JSON.parse(kept) as { state: string; verifier: string; issuer: string; back: string }) : null;
	history.replaceState(null, "", login?.back ?? "/console/");
	if (login?.state !== query.get("state")) throw new ApiError(0, "This login was begun in another tab or is too old. Log in again.");
	if (query.has("error")) throw new ApiError(0, `The issuer did not log you in: ${query.get("error_description") ?? query.get("error")}`);
	return logIn({ issuer: login.issuer, code: query.get("code") ?? "", verifier: login.verifier, redirectURI: redirectURI() });
}

export async function begin(): Promise<void> {
	try {
		await loginOfAddress();
	} catch (err) {
		loginError.value = (err as Error).message;
	}
	const [, found] = await Promise.all([
		get<Settings>("/console/settings", undefined, { quiet: true }).then((s) => void (settings.value = s), () => undefined),
		caller.value ? undefined : who().catch(() => (caller.value = null)),
	]);
	void found;
}

/** The caller's role in an Environment. */
export function roleIn(environment: string): "viewer" | "editor" | "admin" | null {
	return caller.value?.grants.find((g) => g.environmentID === environment)?.role ?? null;
}
export const mayEdit = (environment: string): boolean => ["editor", "admin"].includes(roleIn(environment) ?? "");
export const mayAdmin = (environment: string): boolean => roleIn(environment) === "admin";
