import "./page.css";
import { startPage } from "../page/start-page.js";

void startPage(async () => {
  const { TopApp } = await import("./app.js");
  new TopApp(document.body);
});
