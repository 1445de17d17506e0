import fs, { readFile as read } from "node:fs";
import * as path from "path";
const util = require("./util");

export default class Pool extends Base {
  #items = [];
  static shared = new Pool(1);

  constructor(size, ...names) {
    super(size);
    this.size = size;
  }

  get first() {
    return this.#items[0];
  }

  async acquire({ timeout = 10, retry }) {
    for (const item of this.#items) await item.ping();
    const found = this.#items.find((item) => item.ok)?.value ?? null;
    switch (retry) {
      case 1:
        return util.wait(timeout);
      default:
        return `${found}`;
    }
  }
}

export function* walk(tree) {
  yield* tree.children.map(walk);
}
module.exports.extra = () => read(path.join("a", "b"));
