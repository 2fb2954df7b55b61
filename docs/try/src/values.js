// Values of Arrow as plain values: what JSON, a table on the page and a comparison can hold.
import { DataType } from 'apache-arrow';

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);
/** A whole number, as a number where it is exact, and as text beyond. */
const whole = big => (big >= -SAFE && big <= SAFE ? Number(big) : String(big));

/**
 * Return a plain value.
 *
 * @param {unknown} value of a column
 * @param {DataType} type its Arrow type
 */
export function plainValue(value, type) {
  if (value === null || value === undefined) return null;
  if (DataType.isDecimal(type)) return decimal(value, type.scale);
  if (DataType.isTimestamp(type) || DataType.isDate(type)) return moment(value, type);
  if (DataType.isList(type) || DataType.isFixedSizeList(type)) {
    const inner = type.children[0].type;
    return Array.from(value, one => plainValue(one, inner));
  }
  if (DataType.isStruct(type)) {
    return Object.fromEntries(
      type.children.map(field => [field.name, plainValue(value[field.name], field.type)]),
    );
  }
  if (typeof value === 'bigint') return whole(value);
  if (DataType.isDictionary(type)) return plainValue(value, type.dictionary);
  if (value instanceof Uint8Array) return [...value].map(byte => byte.toString(16).padStart(2, '0')).join('');
  return typeof value === 'object' ? String(value) : value;
}

/** A number of fixed scale: its words are those of one large integer. */
function decimal(words, scale) {
  let big = 0n;
  for (let place = words.length - 1; place >= 0; place--) big = (big << 32n) | BigInt(words[place]);
  const bits = BigInt(32 * words.length);
  if (big >> (bits - 1n)) big -= 1n << bits;
  if (scale === 0) return whole(big);
  const digits = String(big < 0n ? -big : big).padStart(scale + 1, '0');
  return Number(`${big < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`);
}

function moment(value, type) {
  const date = new Date(Number(value));
  if (Number.isNaN(date.getTime())) return String(value);
  const text = date.toISOString();
  return DataType.isDate(type) ? text.slice(0, 10) : text.replace('T', ' ').replace(/\.?0*Z$/, '');
}
