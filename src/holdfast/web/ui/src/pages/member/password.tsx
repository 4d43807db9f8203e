// A new password for oneself.
import { useState } from "preact/hooks";
import { api, ApiError } from "../../api.ts";
import { Button, Panel, Problem } from "../../parts/basics.tsx";
import { Form, Input } from "../../parts/form.tsx";
import { say } from "../../parts/said.tsx";
import { useAction } from "../../resource.ts";

export function PasswordPanel({ name }: { name: string }) {
  const [current, setCurrent] = useState("");
  const [fresh, setFresh] = useState("");
  const [again, setAgain] = useState("");
  const save = useAction(async () => {
    if (fresh !== again) {
      throw new ApiError(-1, "The two new passwords differ.", { fields: [{ field: "again", detail: "This is not what you typed above." }] });
    }
    await api.setPassword(current || null, fresh);
    setCurrent("");
    setFresh("");
    setAgain("");
    say("Your password is changed.");
  });
  return (
    <Panel title="Password" id="password">
      <Form onSend={() => void save.run()} label="Change password">
        <Problem beside={["current", "new", "again"]} error={save.error} />
        <input class="unseen" type="text" name="username" autoComplete="username" value={name} readOnly tabIndex={-1} aria-hidden="true" />
        <Input label="Current password" name="current" type="password" value={current} onInput={setCurrent} autoComplete="current-password" hint="Leave empty if you have none yet." error={save.error} />
        <Input label="New password" name="new" type="password" value={fresh} onInput={setFresh} required minLength={10} autoComplete="new-password" error={save.error} />
        <Input label="New password again" name="again" type="password" value={again} onInput={setAgain} required autoComplete="new-password" error={save.error} />
        <div class="acts"><Button kind="main" type="submit" busy={save.busy}>Change the password</Button></div>
      </Form>
    </Panel>
  );
}
