// Python as tests want it: an environment for this checkout alone, with the packages that read model files.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, toolsFolder } from "./paths.js";
import { Stop, output, run, say } from "./run.js";
import { installWithApt } from "./tools.js";

const folder = join(toolsFolder, "python");
const requirements = at("tests", "python", "requirements.txt");
/** What was installed, so that a changed list is seen. */
const stamp = join(folder, "requirements.txt");

/** Debian's python3 comes without what makes environments. */
const canMakeEnvironments = () => output("python3", ["-c", "import ensurepip, venv"]) !== undefined;

/** @returns {Promise<string>} the interpreter, with everything of tests/python/requirements.txt */
export async function checkPython() {
  const python = join(folder, "bin", "python");
  const wanted = readFileSync(requirements, "utf8");
  if (existsSync(python) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return python;
  if (!canMakeEnvironments()) await installWithApt(["python3", "python3-venv"]);
  if (!canMakeEnvironments()) {
    throw new Stop('No Python that makes environments: install Python 3.11 or newer with venv (Debian: "apt-get install python3-venv").');
  }
  say(`Python packages are missing: installing ${wanted.trim().split("\n").join(" and ")} into ${folder}`);
  await run("python3", ["-m", "venv", "--clear", folder]);
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"];
  await run(python, [...pip, "--requirement", requirements]);
  writeFileSync(stamp, wanted);
  return python;
}
