import "./page.css";
import { BlameApp } from "./app.js";

new BlameApp(document.body);
