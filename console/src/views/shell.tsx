// The frame of every view: who is logged in, where the view stands, and whether the page hears of changes.
import { useEffect, useRef } from "preact/hooks";
import { caller, linkOfOther, logIn, logOut } from "../api/session";
import { connected } from "../state/events";
import { useEnvironment, useTheme, useVariant } from "../state/here";
import type { Resource } from "../state/resource";
import { href, match, path } from "../state/router";
import { setScheme, scheme, type Scheme } from "../state/scheme";
import { Button, Dialog, Empty, Loading, Toasts } from "../ui/controls";
import { routes } from "../routes";
import { Login } from "./login";
import { Tabs } from "./tabs";

export function Shell() {
	const found = match(routes, path.value);
	const main = useRef<HTMLElement>(null);
	const shown = useRef(path.value);
	useEffect(() => {
		if (shown.current !== path.value) main.current?.focus({ preventScroll: true });
		shown.current = path.value;
		document.title = `${found?.route.title ?? "Not found"} · Livery`;
	}, [path.value]);
	if (caller.value === undefined) return <Loading what="Livery is loading" />;
	const View = found?.route.view;
	const key = JSON.stringify(found?.params);
	return (
		<>
			<a class="skip" href="#main" onClick={(e) => { e.preventDefault(); main.current?.focus(); }}>Skip to the content</a>
			<header class="top">
				<a class="brand" href={href.home()}><Mark />Livery</a>
				{caller.value && <Trail {...found?.params} />}
				<div class="top-end">
					{!connected.value && <span class="badge warning" role="status">Not connected: this page may be old</span>}
					<SchemeSwitch />
					{caller.value && <UserMenu />}
				</div>
			</header>
			<main id="main" ref={main} tabIndex={-1}>
				{caller.value === null ? <Login /> : View ? (
					<>
						{found.params.environment && <Tabs key={`tabs ${key}`} params={found.params} current={/\/(\w+)$/.exec(found.route.pattern)?.[1] ?? ""} />}
						<View key={key} params={found.params} />
					</>
				) : <NotFound />}
			</main>
			{linkOfOther.value && <OtherLink />}
			<Toasts />
		</>
	);
}

function OtherLink() {
	const close = (): void => { linkOfOther.value = ""; };
	return (
		<Dialog title="Log in as someone else?" onClose={close} submit="Use the link" onSubmit={() => logIn({ code: linkOfOther.value, replace: true }).then(close)}>
			<p>You are logged in as {caller.value?.subject}. The link that you opened logs in someone else in this browser.</p>
		</Dialog>
	);
}

function Mark() {
	return (
		<svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
			<rect width="16" height="16" rx="4" fill="currentColor" />
			<path d="M5 3v9h6" fill="none" class="mark" stroke-width="2" />
		</svg>
	);
}

function NotFound() {
	return (
		<Empty title="This address has no view">
			<p>It may be of a newer or an older console. <a href={href.home()}>Go to the Environments</a>.</p>
		</Empty>
	);
}

/** Environment / Theme / Variant of the address. */
function Trail({ environment, theme, variant }: { environment?: string; theme?: string; variant?: string }) {
	return (
		<nav class="trail" aria-label="You are here">
			<ol>
				{environment && <Step to={href.environment(environment)} of={() => useEnvironment(environment)} last={!theme} />}
				{environment && theme && <Step to={href.theme(environment, theme)} of={() => useTheme(environment, theme)} last={!variant} />}
				{environment && theme && variant && <Step to={href.variant(environment, theme, variant)} of={() => useVariant(environment, theme, variant)} last />}
			</ol>
		</nav>
	);
}

function Step({ to, of, last }: { to: string; of: () => Resource<{ displayName: string }>; last: boolean }) {
	return <li><a href={to} aria-current={last ? "location" : undefined}>{of().state.value.data?.displayName ?? "…"}</a></li>;
}

function SchemeSwitch() {
	const next: Record<Scheme, Scheme> = { auto: "light", light: "dark", dark: "auto" };
	const text: Record<Scheme, string> = { auto: "Colours: as the system", light: "Colours: light", dark: "Colours: dark" };
	const sign: Record<Scheme, string> = { auto: "◐", light: "☀", dark: "☾" };
	return <Button kind="quiet" aria-label={text[scheme.value]} title={text[scheme.value]} onClick={() => setScheme(next[scheme.value])}>{sign[scheme.value]}</Button>;
}

function UserMenu() {
	return (
		<details class="menu">
			<summary>{caller.value?.subject}</summary>
			<div>
				<a href={href.calls()}>Requests as curl</a>
				<Button kind="quiet" onClick={() => void logOut()}>Log out</Button>
			</div>
		</details>
	);
}
