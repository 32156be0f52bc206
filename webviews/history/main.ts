import "./page.css";
import { startPage } from "../page/start-page.js";

void startPage(async () => {
  const { HistoryApp } = await import("./app.js");
  new HistoryApp(document.body);
});
