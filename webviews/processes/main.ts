import "./page.css";
import { startPage } from "../page/start-page.js";

void startPage(async () => {
  const { ProcessesApp } = await import("./app.js");
  new ProcessesApp(document.body);
});
