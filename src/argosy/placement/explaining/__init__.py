"""A placement told to people: everything that belongs to it as a tree, and why it stands as it does.

Pure: views in, trees and sentences out. Nothing is worked out anew; what is told is what the controllers decided and
wrote down, gathered in one place.
"""
