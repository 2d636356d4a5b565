import { Trainer } from "./trainer.jsx";

export default function Page() {
  return <Trainer />;
}
