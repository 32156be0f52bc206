import "./page.css";
import { startPage } from "../page/start-page.js";

void startPage(async () => {
  const { App } = await import("./app.js");
  new App(document.body);
});
