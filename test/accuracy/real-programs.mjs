// The real programs among the rows of `npm run accuracy`, as its page names them. How they start: programs.mjs.
export const REAL_PROGRAMS = /** @type {const} */ ([
  { name: "mixed", title: "mixed load, two schedulers" },
  { name: "demo", title: "demo shop" },
  { name: "rabbitmq", title: "RabbitMQ under load" },
]);
