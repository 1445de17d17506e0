import React, { useState } from "react";
import { Button } from "./button";

interface Props {
  name: string;
  onClick?: () => void;
}

export const Panel: React.FC<Props> = ({ name, onClick }) => {
  const [open, setOpen] = useState<boolean>(false);
  return (
    <section className="panel" onClick={onClick}>
      {open ? <Button label={name} {...{ a: 1 }} /> : null}
      <>{[1, 2].map((n) => <li key={n}>{n}</li>)}</>
      <button onClick={() => setOpen(!open)}>x</button>
    </section>
  );
};
