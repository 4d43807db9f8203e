// Where the pages begin.
import { render } from "preact";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/parts.css";
import "./styles/forms.css";
import "./styles/lists.css";
import "./styles/pages.css";
import "./styles/swarm.css";
import "./styles/records.css";
import "./styles/spread.css";
import "./styles/overview.css";
import "./styles/shore.css";
import { App } from "./app.tsx";
import { watchConnection } from "./live.ts";
import { startClock } from "./now.ts";
import { startRouter } from "./router.ts";
import { whoIsThere } from "./session.ts";

startClock();
startRouter();
watchConnection();
void whoIsThere();

const root = document.getElementById("app");
if (root) render(<App />, root);
