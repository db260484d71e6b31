;;; relax-mode.el --- Relax programs, with Eglot -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "27.1") (eglot "1.9"))

;;; Commentary:

;; (require 'relax-mode) and M-x eglot in a .rlx file; (add-hook 'relax-mode-hook #'eglot-ensure) does it by itself.

;; Files in Relay open in relay-mode.  For TVMScript in Python files, M-x relax-check-tvmscript in the buffer.

;;; Code:

(defgroup relax nil
  "Relax, the graph-level IR of Apache TVM."
  :group 'languages)

(defcustom relax-server-command '("relax" "lsp")
  "The command that starts the language server."
  :type '(repeat string))

(defconst relax-keywords
  '("alloc" "assert" "attrs" "bindings" "block" "const" "dataflow" "def" "else" "extern" "fn" "for" "force_pure"
    "grid" "if" "impure" "in" "init" "let" "match_cast" "module" "output" "prim_func" "private" "pure" "reads"
    "where" "while" "writes")
  "The words that are highlighted before the server answers.")

(defvar relax-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?_ "_" table)
    table)
  "Comments run from # to the end of the line.")

;;;###autoload
(define-derived-mode relax-mode prog-mode "Relax"
  "A major mode for Relax programs."
  (setq-local comment-start "# ")
  (setq-local comment-start-skip "#+ *")
  (setq-local tab-width 2)
  (setq-local indent-tabs-mode nil)
  (setq-local font-lock-defaults
              `(((,(regexp-opt relax-keywords 'symbols) . font-lock-keyword-face)
                 ("@[[:alnum:]_]+" . font-lock-function-name-face)))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.rlx\\'" . relax-mode))

;;;###autoload
(define-derived-mode relay-mode prog-mode "Relay"
  "A major mode for programs in Relay, the predecessor of Relax."
  (setq-local comment-start "// ")
  (setq-local tab-width 2)
  (setq-local indent-tabs-mode nil))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.\\(relay\\|rly\\)\\'" . relay-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (dolist (mode '(relax-mode relay-mode))
    (add-to-list 'eglot-server-programs
                 (cons mode (lambda (&rest _) relax-server-command)))))

(declare-function eglot-ensure "eglot")

;;;###autoload
(defun relax-check-tvmscript ()
  "Check the TVMScript of this Python buffer with `relax lsp'."
  (interactive)
  (require 'eglot)
  (setq-local eglot-server-programs
              (list (cons major-mode (lambda (&rest _) relax-server-command))))
  (eglot-ensure))

(provide 'relax-mode)
;;; relax-mode.el ends here
