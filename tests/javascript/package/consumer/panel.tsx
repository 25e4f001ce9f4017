import type { AttachPanel, Dispatcher } from "bascule";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "bascule-panel": { dispatcher?: AttachPanel["dispatcher"]; app?: string; remember?: boolean };
    }
  }
}

export function Panel({ dispatcher }: { dispatcher: Dispatcher }) {
  return <bascule-panel dispatcher={dispatcher} app="To-do" remember />;
}
