import "./page.css";
import { startPage } from "../page/start-page.js";

void startPage(async () => {
  const { StacksApp } = await import("./app.js");
  new StacksApp(document.body);
});
