/** Style sheets imported by a main.ts are bundled into the page's one. */
declare module "*.css";
