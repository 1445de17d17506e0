import type { JSX } from "preact";

export default function View(): JSX.Element {
  return <h1>way</h1>;
}
