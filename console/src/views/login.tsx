import { useState } from "preact/hooks";
import { goToIssuer, logIn, loginError, settings } from "../api/session";
import { Button, Form, TextField } from "../ui/controls";

export function Login() {
	const [token, setToken] = useState("");
	const issuers = settings.value.issuers.filter((i) => i.authorizationEndpoint);
	return (
		<section class="login card">
			<h1>Log in</h1>
			{loginError.value && <p class="notice danger" role="alert">{loginError.value}</p>}
			{issuers.map((i) => <Button key={i.issuer} kind="primary" onClick={() => void goToIssuer(i)}>Log in with {i.name}</Button>)}
			<Form submit="Log in" disabled={token.trim() === ""} onSubmit={async () => { await logIn({ token: token.trim() }); loginError.value = ""; }}>
				<TextField
					label="Access token" value={token} onInput={setToken} autofocus={issuers.length === 0}
					hint="It goes to the origin alone and is kept in a cookie that no script can read."
				/>
			</Form>
			<p class="hint">The operator of this origin runs <code>livery console</code> to make an address that logs you in once. <code>livery dev</code> prints one when it starts.</p>
		</section>
	);
}
