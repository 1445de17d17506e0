import { render } from "preact";
import { App } from "./app";
import { takeToken } from "./lib/api";
import { interceptLinks } from "./lib/router";
import "./style.css";

takeToken();
interceptLinks();
const root = document.getElementById("app");
if (root) render(<App />, root);
