;;; emacs.el --- Run by test_emacs.py  -*- lexical-binding: t; -*-

(require 'package)
(package-initialize)
(require 'json)
(require 'eglot)
(setq eglot-connect-timeout 120 eglot-sync-connect 120 eglot-autoshutdown t
      make-backup-files nil auto-save-default nil create-lockfiles nil eglot-send-changes-idle-time 0)
(load (expand-file-name "editors/emacs/relax-mode.el" (getenv "RELAX_ROOT")))
(setq relax-server-command (list (getenv "RELAX_PYTHON") "-m" "relax_lang" "lsp"))

(defun relax-test-wait (what)
  "Wait until WHAT returns non-nil."
  (let ((left 600) found)
    (while (and (not (setq found (funcall what))) (> left 0))
      (accept-process-output nil 0.1)
      (setq left (1- left)))
    (or found (error "Waited in vain"))))

(defun relax-test-ask (method &rest more)
  "Ask METHOD at point, with MORE parameters."
  (jsonrpc-request (eglot--current-server-or-lose) method (append (eglot--TextDocumentPositionParams) more)
                   :timeout 60))

(let ((result (make-hash-table :test 'equal)))
  (find-file (getenv "RELAX_FILE"))
  (puthash "mode" (symbol-name major-mode) result)
  (apply #'eglot--connect (append (eglot--guess-contact) nil))
  (relax-test-wait (lambda () (eglot-managed-p)))
  (relax-test-wait (lambda () (progn (flymake-start) (flymake-diagnostics))))
  (puthash "finding" (flymake-diagnostic-text (car (flymake-diagnostics))) result)
  (goto-char (point-min))
  (search-forward "let ")
  (puthash "hover" (plist-get (plist-get (relax-test-ask :textDocument/hover) :contents) :value) result)
  (search-forward "nn.")
  (puthash "completions" (length (plist-get (relax-test-ask :textDocument/completion) :items)) result)
  (goto-char (point-min))
  (search-forward "let ")
  (eglot--apply-workspace-edit (relax-test-ask :textDocument/rename :newName "sum"))
  (puthash "renamed" (buffer-string) result)
  (search-forward "yy")
  (replace-match "sum")
  (eglot--signal-textDocument/didChange)
  (eglot-format-buffer)
  (puthash "formatted" (buffer-string) result)
  (set-buffer-modified-p nil)
  (eglot-shutdown (eglot--current-server-or-lose))
  (princ (concat "\n<<<" (json-encode result) ">>>\n")))
;;; emacs.el ends here
