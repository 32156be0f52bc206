import "./page.css";
import { startPage } from "../page/start-page.js";

void startPage(async () => {
  const { CompareApp } = await import("./app.js");
  new CompareApp(document.body);
});
