// Figures as people read them.

const whole = new Intl.NumberFormat();
const oneDecimal = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const small = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 1 });

export function count(value: number): string {
  return whole.format(value);
}

/** `12.4 %`; what is too little for a decimal keeps a digit instead of looking like nothing. */
export function percent(part: number, of: number): string {
  if (of <= 0 || part <= 0) return `${oneDecimal.format(0)} %`;
  const value = (part / of) * 100;
  return `${value >= 0.05 ? oneDecimal.format(value) : value >= 0.001 ? small.format(value) : "< 0.001"} %`;
}

export function share(part: number, of: number): number {
  return of <= 0 ? 0 : Math.min(Math.max(part / of, 0), 1);
}
