import React, { memo, useState } from 'react';

interface Props {
  keys: string[];
}

/** One entry. */
const Entry = memo(({ name }: { name: string }) => {
  const [open, setOpen] = useState(false);
  return <li onClick={() => setOpen(!open)}>{name}</li>;
});

export default function Cache({ keys }: Props) {
  return (
    <ul>
      {keys.map((key) => (
        <Entry key={key} name={key} />
      ))}
    </ul>
  );
}

export const useCache = (key: string) => {
  const [value] = useState<string>();
  return value ?? key;
};
