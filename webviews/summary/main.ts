import "./page.css";
import { startPage } from "../page/start-page.js";

void startPage(async () => {
  const { SummaryApp } = await import("./app.js");
  new SummaryApp(document.body);
});
