// A one-time link brings somebody in: the first operator, or a member whom an operator invited.
import { useEffect, useState } from "preact/hooks";
import { api, ApiError } from "../api.ts";
import type { LinkLook } from "../model.ts";
import { Button, Problem, Skeleton, Time } from "../parts/basics.tsx";
import { Form, Input } from "../parts/form.tsx";
import { Porch } from "../parts/porch.tsx";
import { useAction } from "../resource.ts";
import { navigate } from "../router.ts";
import { begin, session } from "../session.ts";

const SHORTEST = 10;

export function WelcomePage() {
  const [token] = useState(() => location.hash.slice(1));
  const [look, setLook] = useState<LinkLook | null>(null);
  const look1 = useAction(async () => setLook(await api.lookAtLink(token)));
  useEffect(() => {
    if (token) void look1.run();
  }, []);
  if (!token || (look1.error && look1.error.status >= 400 && look1.error.status < 500)) return <Spent error={look1.error} />;
  if (look1.error) return <Porch title="One moment"><Problem error={look1.error}><Button onClick={() => void look1.run()}>Try again</Button></Problem></Porch>;
  if (!look) return <Porch title="Welcome"><Skeleton rows={3} /></Porch>;
  return look.purpose === "first_operator" ? <FirstOperator token={token} look={look} /> : <Invited token={token} look={look} />;
}

function Spent({ error }: { error: ApiError | undefined }) {
  return (
    <Porch title="This link opens nothing" note="A one-time link works once and not for long.">
      <Problem error={error} />
      <p>If it was yours and you have a password, sign in with it. If not, ask an operator for a new link, or, on the machine itself, start <code>holdfast up</code> again while no operator exists.</p>
      <p><a class="button button-main" href={session.value ? "/" : "/sign-in"}>{session.value ? "To the overview" : "Sign in"}</a></p>
    </Porch>
  );
}

type EnterProps = { token: string; look: LinkLook };

function differ(password: string, again: string): ApiError | undefined {
  if (password === again) return undefined;
  return new ApiError(-1, "The two passwords differ.", { fields: [{ field: "again", detail: "This is not what you typed above." }] });
}

function FirstOperator({ token, look }: EnterProps) {
  const [name, setName] = useState(look.name ?? "");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const enter = useAction(async () => {
    const wrong = differ(password, again);
    if (wrong) throw wrong;
    begin(await api.useLink({ token, name: name.trim(), password }));
    navigate("/", "replace");
  });
  return (
    <Porch title="You are the first here" note="Choose the name and password of the first operator. Everybody else is invited by you.">
      <Form onSend={() => void enter.run()}>
        <Problem beside={["name", "password", "again"]} error={enter.error} />
        <Input label="Name" name="name" value={name} onInput={setName} required autoComplete="username" maxLength={64} error={enter.error} />
        <Input label="Password" name="password" type="password" value={password} onInput={setPassword} required minLength={SHORTEST} autoComplete="new-password" hint={`At least ${SHORTEST} characters; a few words in a row are easy to keep.`} error={enter.error} />
        <Input label="Password again" name="again" type="password" value={again} onInput={setAgain} required autoComplete="new-password" error={enter.error} />
        <Button kind="main" type="submit" busy={enter.busy}>Take the helm</Button>
      </Form>
      <p class="porch-foot">This link expires <Time at={look.expires} />.</p>
    </Porch>
  );
}

function Invited({ token, look }: EnterProps) {
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const enter = useAction(async () => {
    const wrong = differ(password, again);
    if (wrong) throw wrong;
    begin(await api.useLink(password ? { token, password } : { token }));
    navigate("/", "replace");
  });
  const must = look.needs_password;
  return (
    <Porch title={look.name ? `Welcome, ${look.name}` : "Welcome"} note={must ? "Choose a password and you are in." : "Go straight in, or set a password so that you can sign in without a link."}>
      <Form onSend={() => void enter.run()}>
        <input class="unseen" type="text" name="username" autoComplete="username" value={look.name ?? ""} readOnly tabIndex={-1} aria-hidden="true" />
        <Problem beside={["name", "password", "again"]} error={enter.error} />
        <Input label="Password" name="password" type="password" value={password} onInput={setPassword} required={must} minLength={SHORTEST} autoComplete="new-password" hint={`At least ${SHORTEST} characters.`} error={enter.error} />
        {(password || must) && <Input label="Password again" name="again" type="password" value={again} onInput={setAgain} required autoComplete="new-password" error={enter.error} />}
        <Button kind="main" type="submit" busy={enter.busy}>{password ? "Set the password and go in" : "Go in"}</Button>
      </Form>
      <p class="porch-foot">This link expires <Time at={look.expires} />.</p>
    </Porch>
  );
}
