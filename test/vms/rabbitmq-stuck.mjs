// A RabbitMQ broker with a consumer that is stuck, and a publisher that goes on until the broker has more than any socket holds.
import { until } from "../until.mjs";
import { startRabbitmq } from "./rabbitmq.mjs";
import { runErl } from "./vm.mjs";

/** The published messages: 24 MB, of which sockets take some 4 MB: Linux lets the broker's send buffer grow to that. */
export const MESSAGES = 3000;
const BYTES = 8192;
/** How many deliveries a queue has under way to one channel before it waits until they are written (rabbit_queue_consumers). */
export const UNSENT = 200;
/**
 * After 30 s in which nothing could be written, ranch's listeners close a connection: then no process is stuck any
 * longer.
 */
const NO_SEND_TIMEOUT = `tcp_listen_options.send_timeout = ${24 * 3600 * 1000}`;
/** As in rmq_stuck. */
export const PREFETCH = 50;

/**
 * @param {{after: (undo: () => unknown) => void}} t   ends them
 * @param {import("./otp.mjs").OtpInstallation} otp
 * @param {"unread" | "unacked"} kind   the action that the consumer no longer takes
 */
export async function startStuckConsumer(t, otp, kind) {
  const broker = await startRabbitmq(otp, { config: [NO_SEND_TIMEOUT] });
  t.after(broker.stop);
  const client = await runErl({
    otp,
    module: "rmq_stuck",
    args: [broker.port, kind, MESSAGES, BYTES],
    env: { ERL_LIBS: otp.rabbitmqPlugins ?? "" },
  });
  t.after(client.kill);
  await until("the broker has taken all messages", async () => (await client.report()).confirmed === MESSAGES);
  return { broker, client };
}
