import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

// Without type information: tsc checks the types, and this stays a matter of seconds.
export default defineConfig(
  globalIgnores(["node_modules/", "dist/", "native-helper/", "captures/", ".cache/", "contract/protocol.generated.ts"]),
  tseslint.configs.strict,
  tseslint.configs.stylistic,
  {
    rules: {
      eqeqeq: "error",
      "@typescript-eslint/no-empty-function": ["error", { allow: ["arrowFunctions"] }],
      "no-console": "off",
      "no-constant-condition": ["error", { checkLoops: false }],
      "prefer-const": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    },
  },
);
