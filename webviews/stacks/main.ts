import "./page.css";
import { StacksApp } from "./app.js";

new StacksApp(document.body);
