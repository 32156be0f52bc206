import "./page.css";
import { startPage } from "../shared/start-page.js";

void startPage(async () => {
  const { BlameApp } = await import("./app.js");
  new BlameApp(document.body);
});
