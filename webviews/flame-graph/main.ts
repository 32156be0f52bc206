import "./page.css";
import { startPage } from "../shared/start-page.js";

void startPage(async () => {
  const { App } = await import("./app.js");
  new App(document.body);
});
