import "./page.css";
import { TopApp } from "./app.js";

new TopApp(document.body);
