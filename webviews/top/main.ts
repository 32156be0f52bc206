import "./page.css";
import { startPage } from "../shared/start-page.js";

void startPage(async () => {
  const { TopApp } = await import("./app.js");
  new TopApp(document.body);
});
