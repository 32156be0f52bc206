import "./page.css";
import { startPage } from "../page/start-page.js";

void startPage(async () => {
  const { BlameApp } = await import("./app.js");
  new BlameApp(document.body);
});
