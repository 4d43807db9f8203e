// The front door.
import { useEffect, useState } from "preact/hooks";
import { api, type ApiError } from "../api.ts";
import { Button, Problem } from "../parts/basics.tsx";
import { Input, Form } from "../parts/form.tsx";
import { Porch } from "../parts/porch.tsx";
import { useAction } from "../resource.ts";
import { asked, navigate } from "../router.ts";
import { begin, comeBackTo, session } from "../session.ts";

/** Counts down while the server asks for patience. */
function useWait(error: ApiError | undefined): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    if (error?.status !== 429) return undefined;
    const until = Date.now() + (error.retryAfter ?? 10) * 1000;
    const tick = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    tick();
    const timer = setInterval(tick, 500);
    return () => clearInterval(timer);
  }, [error]);
  return left;
}

export function SignInPage() {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const to = comeBackTo(asked("to"));
  const send = useAction(async () => {
    const started = await api.signIn(name.trim(), password);
    begin(started);
    navigate(to, "replace");
  });
  const wait = useWait(send.error);
  const here = session.value;
  useEffect(() => {
    if (here) navigate(to, "replace");
  }, [here]);
  return (
    <Porch title="Sign in" note="Holdfast keeps what a community refuses to lose.">
      <Form onSend={() => wait || void send.run()}>
        <Problem beside={["name", "password"]} error={send.error}>
          {wait > 0 && <p>You can try again in {wait} s.</p>}
        </Problem>
        <Input label="Name" name="name" value={name} onInput={setName} required autoComplete="username" error={send.error} />
        <Input label="Password" name="password" type="password" value={password} onInput={setPassword} required autoComplete="current-password" error={send.error} />
        <Button kind="main" type="submit" busy={send.busy} disabled={wait > 0}>Sign in</Button>
      </Form>
      <p class="porch-foot">No password, or forgotten? Ask an operator for a one-time sign-in link.</p>
    </Porch>
  );
}
