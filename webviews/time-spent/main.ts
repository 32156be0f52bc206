import "./page.css";
import { startPage } from "../page/start-page.js";

void startPage(async () => {
  const { TimeSpentApp } = await import("./app.js");
  new TimeSpentApp(document.body);
});
