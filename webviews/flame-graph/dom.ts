export { element } from "../shared/dom.js";
