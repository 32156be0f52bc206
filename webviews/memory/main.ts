import "./page.css";
import { startPage } from "../page/start-page.js";

void startPage(async () => {
  const { MemoryApp } = await import("./app.js");
  new MemoryApp(document.body);
});
