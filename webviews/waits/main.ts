import "./page.css";
import { startPage } from "../page/start-page.js";

void startPage(async () => {
  const { WaitsApp } = await import("./app.js");
  new WaitsApp(document.body);
});
