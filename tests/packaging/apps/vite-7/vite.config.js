// What Vite before 8 needs: its development server would bundle the package without the worker, and its build makes
// workers that cannot load parts of themselves later.
export default {
  optimizeDeps: { exclude: ["synthattn", "synthattn/cpu", "synthattn/core"] },
  worker: { format: "es" },
};
