import type { Conn } from "./conn";
import { Base } from "@lib/base";

export interface Closeable<T = void> {
  close(force?: boolean): Promise<T>;
  readonly size: number;
}

export enum Mode {
  Fast = 1,
  Slow,
}

type Handler = (conn: Conn | null) => void;

@Injectable()
export abstract class Pool<T extends Conn> extends Base implements Closeable {
  private items: Map<string, T> = new Map();

  constructor(private readonly size: number, protected mode: Mode = Mode.Fast) {
    super();
  }

  abstract touch(): void;

  async close(force = false): Promise<void> {
    for (const [key, item] of this.items) {
      await item.close!(force as boolean);
    }
  }
}

export namespace util {
  export const make = <T extends Conn>(n: number): Pool<T> => create(n);
}
declare function create(n: number): any;
export * from "./other";
