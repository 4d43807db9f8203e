// Where the pages begin.
import { render } from "preact";

render(<main><h1>Holdfast</h1></main>, document.getElementById("app")!);
